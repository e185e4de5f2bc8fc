# needs: dc
echo '20k 2v p 100 [1-d p 0<a]sa 3 lax 16o 255 p' | dc | head -n 20
