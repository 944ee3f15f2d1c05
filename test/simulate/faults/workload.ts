/** Workload clusters that do not answer, or whose answers are lost. */
import type { Connection, Transport } from '../../../kinds/ports/transport.ts';
import { WorkloadError } from '../../../kinds/ports/workload.ts';
import { type Clock, sleep } from '../../../machinery/ports.ts';
import type { Faults } from './index.ts';

const minutes = 60_000;

/** A stream that breaks off after its first chunk. */
async function* brokenOff(stream: AsyncIterable<Uint8Array>, faults: Faults): AsyncGenerator<Uint8Array> {
  const breaks = faults.strikes('workload.lost', 'stream');
  for await (const chunk of stream) {
    yield chunk;
    if (breaks) throw new WorkloadError('Unreachable', 'unexpected EOF');
  }
}

export const badTransport = (inner: Transport, clock: Clock, faults: Faults): Transport => {
  const silentUntil = new Map<string, number>();
  const timedOut = () => new WorkloadError('Unreachable', 'context deadline exceeded');
  const around = async <T>({ server }: Connection, what: string, run: () => Promise<T>): Promise<T> => {
    if (faults.strikes('workload.unreachable'))
      silentUntil.set(server, clock.now() + faults.dice('workload.unreachable').spread(10_000, 30 * minutes));
    const until = silentUntil.get(server);
    if (!faults.isCalm && until !== undefined && clock.now() < until) throw timedOut();
    if (faults.strikes('workload.failed', what))
      throw new WorkloadError('InternalError', 'etcdserver: request timed out');
    const answer = await run();
    if (faults.strikes('workload.slow')) await sleep(clock, faults.dice('workload.slow').spread(300, 25_000));
    if (faults.strikes('workload.lost', what)) throw timedOut();
    return answer;
  };
  return {
    fetch: (connection, request) => around(connection, request.method, () => inner.fetch(connection, request)),
    etcd: (etcd, path, body) => around(etcd.connection, path, () => inner.etcd(etcd, path, body)),
    etcdStream: (etcd, path, body) =>
      around(etcd.connection, path, async () => brokenOff(await inner.etcdStream(etcd, path, body), faults)),
    certificate: (connection, node) => around(connection, 'certificate', () => inner.certificate(connection, node)),
    fetchOn: (connection, node, request) =>
      around(connection, `${request.method} on a node`, () => inner.fetchOn(connection, node, request)),
  };
};
