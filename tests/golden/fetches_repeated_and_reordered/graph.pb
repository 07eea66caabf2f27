
7
xPlaceholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ

aSquarex*
T0	

bNegx*
T0	"ª