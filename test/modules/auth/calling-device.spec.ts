import { FastifyRequest } from 'fastify';
import { deviceOf } from '../../../src/modules/auth/http';

const userAgentOf = (userAgent: string | undefined): string | null =>
  deviceOf({ id: 'req_1', ip: '203.0.113.7', headers: { 'user-agent': userAgent } } as FastifyRequest)
    .userAgent;

describe('deviceOf', () => {
  it('truncates the user agent between characters', () => {
    const kept = userAgentOf(`${'x'.repeat(254)}🦊 and more`)!;
    expect(kept).toHaveLength(255);
    expect(kept.isWellFormed()).toBe(true);
    expect(userAgentOf('a browser')).toBe('a browser');
    expect(userAgentOf(undefined)).toBeNull();
  });
});
