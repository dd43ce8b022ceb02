/* A shared object that exports no strategy. */
extern const int gannet_nothing;
const int gannet_nothing = 1;
