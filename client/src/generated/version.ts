// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.

/** The version of the API that the types describe. */
export const version = '2026-11-26';
