
=
x_int32Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
=
y_int32Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
6
floor_div_int32FloorDivx_int32y_int32*
T0
6
floor_mod_int32FloorModx_int32y_int32*
T0
+
	div_int32Divx_int32y_int32*
T0
=
x_int64Placeholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
=
y_int64Placeholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
6
floor_div_int64FloorDivx_int64y_int64*
T0	
6
floor_mod_int64FloorModx_int64y_int64*
T0	
+
	div_int64Divx_int64y_int64*
T0	
<
x_int8Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
<
y_int8Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
3
floor_div_int8FloorDivx_int8y_int8*
T0
3
floor_mod_int8FloorModx_int8y_int8*
T0
(
div_int8Divx_int8y_int8*
T0
=
x_int16Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
=
y_int16Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
6
floor_div_int16FloorDivx_int16y_int16*
T0
6
floor_mod_int16FloorModx_int16y_int16*
T0
+
	div_int16Divx_int16y_int16*
T0"ª