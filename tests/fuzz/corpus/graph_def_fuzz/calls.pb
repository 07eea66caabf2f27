

xPlaceholder*
dtype0

yFx*
T0
I
cPartitionedCally*
Tin
2*
Tout
2*
fR
F
T0]
S
"
F
a"T
r"T"	
Ttype¢c
nNega^a*
TJT"

rn:y:02
cn
FG