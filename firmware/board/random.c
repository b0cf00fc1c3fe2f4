#include "random.h"

#include <math.h>

/* splitmix64 (Steele, Lea and Flood 2014). */
uint64_t random_bits(random_stream *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

random_stream random_start(uint64_t seed, uint64_t stream) {
    random_stream random = {seed * 0x2545F4914F6CDD1Du + stream};
    random_bits(&random);
    return random;
}

double random_uniform(random_stream *random) { return (random_bits(random) >> 11) * 0x1p-53; }

double random_normal(random_stream *random) {
    double radius = sqrt(-2.0 * log(1.0 - random_uniform(random)));
    return radius * cos(2.0 * M_PI * random_uniform(random));
}
