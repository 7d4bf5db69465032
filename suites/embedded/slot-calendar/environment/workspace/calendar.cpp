#include "calendar.hpp"

Calendar::Calendar(int places) : places_(places) {}
