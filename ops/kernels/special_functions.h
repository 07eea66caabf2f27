// Special functions in double precision, for the ops of ops/special_math_ops.h: relative errors of about 1e-14, unless
// a comment says otherwise. Every function takes every number and, unless it says so, gives NaN outside of its domain.
#ifndef FLOWLATCH_OPS_KERNELS_SPECIAL_FUNCTIONS_H_
#define FLOWLATCH_OPS_KERNELS_SPECIAL_FUNCTIONS_H_

namespace flowlatch::special {

// Modified Bessel functions of order 0 or 1: of the first kind times exp(-|x|), of the second kind times exp(x), which
// is infinite up to 0.
double BesselIe(int order, double x);
double BesselKe(int order, double x);

double Dawson(double x);         // exp(-x^2) times the integral of exp(t^2) from 0 to x
double ErfInverse(double x);     // of the error function, for x in [-1, 1]
double NormalInverse(double p);  // of the normal distribution's cumulative function, for p in [0, 1]
double ExpIntegral(double x);    // Ei(x), for x >= 0
double FresnelCosine(double x);  // the integral of cos(pi t^2 / 2) from 0 to x
double FresnelSine(double x);
double Spence(double x);  // -(the integral of log(t) / (t - 1) from 1 to x), for x >= 0

double HurwitzZeta(double x, double q);  // the sum of (k + q)^-x over k >= 0, for x > 1
double Polygamma(double n, double x);    // derivative n of Digamma
// The regularised incomplete gamma functions, lower (P) and upper (Q = 1 - P), for a > 0 and x >= 0.
double GammaP(double a, double x);
double GammaQ(double a, double x);
double GammaPGradA(double a, double x);  // dP/da; the error of its far tails is absolute, about 1e-15

}  // namespace flowlatch::special

#endif  // FLOWLATCH_OPS_KERNELS_SPECIAL_FUNCTIONS_H_
