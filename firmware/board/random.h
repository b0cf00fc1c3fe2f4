/* Repeatable noise: one stream for each user, all from the seed of the run. */
#pragma once

#include <stdint.h>

typedef struct { uint64_t state; } random_stream;

random_stream random_start(uint64_t seed, uint64_t stream);
uint64_t random_bits(random_stream *random);
double random_uniform(random_stream *random);  /* [0, 1) */
double random_normal(random_stream *random);   /* mean 0, deviation 1 */
