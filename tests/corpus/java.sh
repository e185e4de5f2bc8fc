# A JVM: interpreter and both compilers, threads, garbage collection, null checks that fault.
# share: check
# needs: java javac

prepare() {
    cat >Corpus.java <<'END'
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

public class Corpus {
    interface Shape { double area(); }
    record Square(double s) implements Shape { public double area() { return s * s; } }
    record Disc(double r) implements Shape { public double area() { return Math.PI * r * r; } }

    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
    static int forever(int n) { return 1 + forever(n + 1); }

    static long threads() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        AtomicLong total = new AtomicLong();
        List<Future<Long>> results = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            final int k = t;
            results.add(pool.submit(() -> {
                long s = 0;
                for (int i = 0; i < 1_000_000; i++)
                    s += (i * (long) k) % 7;
                total.addAndGet(k);
                return s;
            }));
        }
        long sum = 0;
        for (Future<Long> f : results)
            sum += f.get();
        pool.shutdown();
        return sum + total.get();
    }

    static int nulls() {
        int caught = 0;
        Object[] some = {"a", null};
        for (int i = 0; i < 20000; i++) {
            try {
                caught += some[i & 1].hashCode() & 0;
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    static synchronized void step(int[] n) { n[0]++; }

    static int monitors() throws Exception {
        int[] n = {0};
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++)
            (all[i] = new Thread(() -> { for (int j = 0; j < 20000; j++) step(n); })).start();
        for (Thread t : all)
            t.join();
        return n[0];
    }

    public static void main(String[] args) throws Exception {
        System.out.println("threads " + threads() + " monitors " + monitors() + " nulls " + nulls());
        Shape[] shapes = IntStream.range(0, 1000).mapToObj(i -> i % 2 == 0 ? new Square(i) : new Disc(i)).toArray(Shape[]::new);
        double area = 0;
        for (int r = 0; r < 500; r++)
            for (Shape s : shapes)
                area += s.area();
        System.out.printf("area %.3e depth %d%n", area, depth(5000));
        try { forever(0); } catch (StackOverflowError e) { System.out.println("stack overflow"); }
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 20000; i++) { byte[] b = new byte[10000]; if (i % 500 == 0) kept.add(b); }
        System.gc();
        System.out.println("kept " + kept.size());
        System.out.println(Stream.of("x", "a", "m").sorted().collect(Collectors.joining(",")) + " " + new TreeMap<>(Map.of("b", 1, "a", 2)));
        Process p = new ProcessBuilder("sh", "-c", "echo child; exit 3").redirectErrorStream(true).start();
        System.out.println(new String(p.getInputStream().readAllBytes()).trim() + " " + p.waitFor());
        System.exit(4);
    }
}
END
    javac Corpus.java
}

run() {
    java -Xmx128m -cp "$PREPARED" Corpus; echo "status $?"
    java -Xmx128m -Xshare:off -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$PREPARED" Corpus; echo "status $?"
    java -cp "$PREPARED" Missing 2>/dev/null; echo "status $?"
}
