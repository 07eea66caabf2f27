// The derivative of samples of the gamma distribution, by Eigen: see docs/decisions/0011_rounding_by_eigen.md.
#ifndef FLOWLATCH_OPS_KERNELS_GAMMA_SAMPLE_H_
#define FLOWLATCH_OPS_KERNELS_GAMMA_SAMPLE_H_

namespace flowlatch::special {

// dx/da of a sample x of the gamma distribution of shape a and scale 1 whose place in the distribution is kept.
// NaN unless a > 0 and x >= 0.
float GammaSampleGradA(float a, float x);
double GammaSampleGradA(double a, double x);

}  // namespace flowlatch::special

#endif  // FLOWLATCH_OPS_KERNELS_GAMMA_SAMPLE_H_
