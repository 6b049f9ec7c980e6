import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { IdPrefix } from '../../kernel/ids';

/** A member of a response, for the OpenAPI document. The example of an enum is its first value by default. */
export const ResponseField = (schema: ApiPropertyOptions & { readonly enum?: readonly string[] }) =>
  ApiProperty({ ...(schema.enum && { example: schema.enum[0] }), ...schema });

/** A timestamp in a response: ISO 8601 in UTC with milliseconds. */
export const Timestamp = (description?: string) =>
  ApiProperty({ type: 'string', format: 'date-time', example: '2026-01-31T09:30:00.000Z', description });

/** An id for examples in the OpenAPI document. */
export function exampleId(prefix: IdPrefix): string {
  return `${prefix}_01k9x8v2t4e6rb3m5n7p9q1s0w`;
}

/** Declares the response to the cancellation of a resource. @param resource its name, for the OpenAPI document */
export function CanceledResponse(prefix: IdPrefix, resource: string) {
  class Response {
    @ResponseField({ type: 'string', example: exampleId(prefix) })
    id: string;

    @ResponseField({ type: 'string', enum: ['canceled'] })
    status: 'canceled';

    @Timestamp()
    canceled_at: string;

    @ResponseField({ type: 'string', example: `The ${resource} was canceled.` })
    message: string;
  }
  return Response;
}

/** Renders the response right after the cancellation, so the time of the last change is that of the cancellation. */
export function canceledResponse({ id, updatedAt }: { id: string; updatedAt: Date }, message: string) {
  return { id, status: 'canceled', canceled_at: updatedAt.toISOString(), message } as const;
}
