import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { type ApiVersion, ApiVersions, VERSION_HEADER } from '../versions/api-versions';
import { StoredResponse } from '../database/database';
import { exportIn } from './csv-export';
import { readResponse } from './operation';

/** A request to an operation, once the guards have let it pass. */
export interface VersionedRequest extends FastifyRequest {
  /** The version in which it is responded to. */
  version: ApiVersion;
}

const HEADER = VERSION_HEADER.toLowerCase();

/**
 * Decides in which version a request is responded to: the one of its header, else the one to which its caller is pinned,
 * else the newest. It runs after the guard that finds the caller.
 */
@Injectable()
export class VersionGuard implements CanActivate {
  constructor(private readonly versions: ApiVersions) {}

  /** @throws DomainError `invalid_request` for a header that names no version */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<VersionedRequest & { user?: { pinnedVersion: string | null } | null }>();
    const header = request.headers[HEADER];
    request.version =
      header === undefined
        ? this.versions.pinned(request.user?.pinnedVersion ?? null)
        : this.versions.parse(String(header), VERSION_HEADER);
    void http.getResponse<FastifyReply>().header(VERSION_HEADER, request.version.name);
    return true;
  }
}

/** Turns responses into their shape in the version of the request, which costs those in the newest one nothing. */
export function renderVersions(server: FastifyInstance): void {
  server.addHook('preSerialization', (request, { statusCode }, payload, done) => {
    const version = olderVersion(request);
    // A stored response has its shape already, and errors have one in all versions.
    if (version === null || statusCode >= 300 || payload instanceof StoredResponse)
      return done(null, payload);
    const type = readResponse(request);
    done(null, type === undefined ? payload : version.convert(type, payload as object));
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    const version = olderVersion(request);
    if (version !== null && payload instanceof Readable) exportIn(version, payload);
    done();
  });
}

/** @returns null for the newest version, and for a request that is not to an operation */
function olderVersion(request: FastifyRequest): ApiVersion | null {
  const { version } = request as Partial<VersionedRequest>;
  return version === undefined || version.isNewest ? null : version;
}
