/** Whether the service is about to stop: it still answers, but should get no new work. */
export class Draining {
  begun = false;
}
