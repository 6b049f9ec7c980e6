import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database';

/**
 * Runs the guards and the controller of each request in its own scope, in which a guard can name the holder of its
 * database connections (`Database.chargeTo`). An interceptor could do both, but would cost every request more time than
 * its queries.
 */
export function scopeConnections(server: FastifyInstance, database: Database): void {
  // The last hook before the handler: the parser of the body would leave an earlier scope.
  server.addHook('preHandler', (_request, _reply, done) => database.runFor(null, done));
}
