#include "ringside.h"
