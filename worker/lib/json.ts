/** Any JSON value, as a query or a report may hold it. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
