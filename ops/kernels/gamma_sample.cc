#include "ops/kernels/gamma_sample.h"

#include <eigen3/unsupported/Eigen/SpecialFunctions>

namespace flowlatch::special {

float GammaSampleGradA(float a, float x) { return Eigen::numext::gamma_sample_der_alpha(a, x); }
double GammaSampleGradA(double a, double x) { return Eigen::numext::gamma_sample_der_alpha(a, x); }

}  // namespace flowlatch::special
