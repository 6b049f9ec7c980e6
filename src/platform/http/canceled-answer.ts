import { IdPrefix } from '../../kernel/ids';
import { exampleId, Moment, Shown } from './fields';

/** The answer to a cancel, whatever was canceled. @param thing what it was */
export function CanceledAnswer(prefix: IdPrefix, thing: string) {
  class Answer {
    @Shown({ type: 'string', example: exampleId(prefix) })
    id: string;

    @Shown({ type: 'string', enum: ['canceled'] })
    status: 'canceled';

    @Moment()
    canceled_at: string;

    @Shown({ type: 'string', example: `The ${thing} was canceled.` })
    message: string;
  }
  return Answer;
}

/** The cancel was the last change but of notes, so the time of the cancel is that of the change. */
export function canceledAnswer({ id, updatedAt }: { id: string; updatedAt: Date }, message: string) {
  return { id, status: 'canceled', canceled_at: updatedAt.toISOString(), message } as const;
}
