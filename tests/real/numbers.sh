# needs: seq factor bc
seq 1 3 20 | factor; seq -s+ 100 | bc; echo 'scale=60; 4*a(1); 2^300; sqrt(2)' | bc -l
factor 18446744073709551557 1000000007; numfmt --to=iec 123456789; expr 17 \* 23 % 7
echo $((2**40 ^ 12345))
