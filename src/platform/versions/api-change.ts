import type { Type } from '@nestjs/common';

/** The class that declares a response. */
export type ResponseClass<Body extends object = object> = Type<Body>;

/** A response whose shape has changed. */
export interface ResponseChange<Newer extends object = object, Older extends object = object> {
  /** The class of the response since the change. */
  readonly newer: ResponseClass<Newer>;
  /** The class of the response before it, with the same decorators: the document and exports of that time have its members. */
  readonly older: ResponseClass<Older>;
  /** Turns a response into its shape before the change. It is pure, and leaves out no member that it does not know. */
  readonly toOlder: (response: Newer) => Older;
}

/** A change of the API that clients have to know, and how those get on that do not know it yet. */
export interface ApiChange {
  /** The first version with the change: a date such as `2026-11-26`. */
  readonly version: string;
  /** What has changed, for people who move to the version. */
  readonly description: string;
  readonly responses: readonly ResponseChange[];
}

/** Declares the change of one response, with the types of its classes. */
export function responseChange<Newer extends object, Older extends object>(
  change: ResponseChange<Newer, Older>,
): ResponseChange {
  return change as unknown as ResponseChange;
}
