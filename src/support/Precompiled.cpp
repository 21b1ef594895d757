#include "support/Precompiled.h"
