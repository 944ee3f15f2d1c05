/** TLS to an API server, and inside a forwarded port. */
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Connection } from '../../kinds/ports/transport.ts';
import { failureOf, timeoutError } from './exchange.ts';

export const tlsOf = ({
  serverName,
  caCertificate,
  skipsVerification,
  clientCertificate,
  clientKey,
}: Connection): ConnectionOptions => ({
  ...(serverName && { servername: serverName }),
  ...(caCertificate && { ca: caCertificate }),
  ...(skipsVerification && { rejectUnauthorized: false }),
  ...(clientCertificate && { cert: clientCertificate, key: clientKey }),
});

/** Performs the handshake over `stream`, and destroys it on failure. Rejects with a WorkloadError. */
export const secureOver = (
  stream: Duplex,
  what: string,
  timeout: number,
  options: ConnectionOptions,
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    let secure: TLSSocket | undefined;
    const fail = (error: Error) => {
      clearTimeout(timer);
      secure?.destroy();
      stream.destroy();
      // The stream's own error is more specific.
      reject(failureOf(stream.errored ?? error, what, timeout));
    };
    const end = () => fail(new Error(`${what} ended the connection`));
    const timer = setTimeout(() => fail(timeoutError()), timeout);
    stream.once('error', fail);
    try {
      secure = connect({ ...options, socket: stream });
    } catch (error) {
      fail(error as Error);
      return;
    }
    // Stays registered: later errors are those of requests on the connection.
    secure.on('error', fail);
    secure.once('close', end);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      secure.off('close', end);
      resolve(secure);
    });
  });
