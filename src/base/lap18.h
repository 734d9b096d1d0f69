#pragma once
#include <ctime>
#include <cstdio>
inline double Cpu18() { timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return double(t.tv_sec) + double(t.tv_nsec) * 1e-9; }
inline void Lap18(const char* what) { static double last = 0; double now = Cpu18(); std::fprintf(stderr, "LAP %-28s %7.1f ms\n", what, (now - last) * 1e3); last = now; }
