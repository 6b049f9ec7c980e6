import { ResponseField } from './response-fields';

/** The response of an operation that has nothing to return. */
export class MessageResponse {
  @ResponseField({ type: 'string', example: 'The password was changed. Other sessions have ended.' })
  message: string;
}
