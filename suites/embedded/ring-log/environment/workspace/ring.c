/* The latest records that fit into a buffer. */
#include "ring.h"
