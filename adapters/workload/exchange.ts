/** One request and its whole response. */
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { invalidKubeconfig, WorkloadError } from '../../kinds/ports/workload.ts';

export interface Answer {
  status: number;
  contentType: string;
  body: Buffer;
}

export interface ExchangeOptions {
  /** The host, for error messages. */
  host: string;
  secure: boolean;
  body?: Buffer | undefined;
  /** Milliseconds until the end of the response. */
  timeout: number;
  /** Milliseconds until a new connection is accepted; without a limit of its own by default. */
  connectTimeout?: number;
}

/** Bytes. Users control workload clusters, which must not exhaust a worker's memory. */
const longestAnswer = 64 * 1024 * 1024;

/** A reused connection was dead before the response began, so another one may be tried. */
export class StaleConnection extends WorkloadError {}

/** Milliseconds until an unused proxy tunnel is abandoned. */
export const proxyGrace = 100;

/** Fails a new connection that is not accepted in time. `fail` must close the socket. */
const limitConnecting = (socket: Socket, host: string, timeout: number, fail: (error: Error) => void): void => {
  if (!socket.connecting) return;
  const timedOut = new WorkloadError('Timeout', `${host} accepts no connection within ${timeout} ms`);
  const timer = setTimeout(() => fail(timedOut), timeout);
  const stop = () => clearTimeout(timer);
  socket.once('connect', stop).once('close', stop);
};

export const timeoutError = (): Error => Object.assign(new Error('too late'), { code: 'ETIMEDOUT' });

export const failureOf = (error: Error & { code?: string }, host: string, timeout: number): WorkloadError => {
  if (error instanceof WorkloadError) return error;
  if (error.code === 'ETIMEDOUT')
    return new WorkloadError('Timeout', `no answer from ${host} within ${timeout} ms`, { cause: error });
  // An error of several addresses has no message of its own.
  return new WorkloadError('Unreachable', error.message || `cannot reach ${host}: ${error.code}`, { cause: error });
};

/** Rejects with a WorkloadError without a complete response. */
export const exchange = (
  request: RequestOptions,
  { host, secure, body, timeout, connectTimeout }: ExchangeOptions,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let outgoing: ClientRequest;
    let begun = false;
    const fail = (error: Error) => {
      clearTimeout(timer);
      const failure = failureOf(error, host, timeout);
      const isStale = !begun && outgoing?.reusedSocket && failure.code === 'Unreachable';
      reject(isStale ? new StaleConnection(failure.code, failure.message, { cause: error }) : failure);
    };
    // Node does not report an abort of a request that waits for its connection.
    const timer = setTimeout(() => {
      const timedOut = timeoutError();
      fail(timedOut);
      outgoing.destroy(timedOut);
    }, timeout);
    try {
      const send = secure ? httpsRequest : httpRequest;
      outgoing = send({ ...request, timeout: timeout + proxyGrace });
    } catch (error) {
      // Node validates certificates and keys when it connects.
      clearTimeout(timer);
      reject(invalidKubeconfig((error as Error).message, { cause: error }));
      return;
    }
    outgoing.on('error', fail);
    if (connectTimeout !== undefined)
      outgoing.on('socket', (socket) =>
        limitConnecting(socket, host, connectTimeout, (timedOut) => outgoing.destroy(timedOut)),
      );
    outgoing.on('response', (incoming) => {
      begun = true;
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > longestAnswer)
          outgoing.destroy(
            new WorkloadError('TooLarge', `the answer of ${host} is longer than ${longestAnswer} bytes`),
          );
      });
      incoming.on('error', fail);
      incoming.on('end', () => {
        clearTimeout(timer);
        const status = incoming.statusCode ?? 0;
        const contentType = incoming.headers['content-type'] ?? 'application/json';
        if (status >= 200 && status <= 599) resolve({ status, contentType, body: Buffer.concat(chunks) });
        else reject(new WorkloadError('Unreachable', `${host} does not speak HTTP: status ${status}`));
      });
    });
    outgoing.end(body);
  });
