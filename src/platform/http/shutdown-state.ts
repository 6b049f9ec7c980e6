/** Whether the service is shutting down: it still serves accepted requests, but reports that it is not ready. */
export class ShutdownState {
  isShuttingDown = false;
}
