/** Calls of etcd's JSON gateway; consecutive calls share a short-lived connection. */
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { EtcdConnection, Transport } from '../../kinds/ports/transport.ts';
import { exchange } from './exchange.ts';
import { gatewayRefusal, parsed } from './gateway-refusal.ts';

/** Milliseconds. Consecutive calls follow at once, and a frozen function would leave a dead stream on the node. */
const lingering = 10;

interface Session {
  agent: Promise<Agent>;
  calls: number;
}

/** An agent on one connection, for one call at a time. */
export const agentOn = (socket: TLSSocket): Agent => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = (_, done) => {
    done?.(socket.destroyed ? new Error('the connection has ended') : null, socket);
    return undefined;
  };
  return agent;
};

/** Rejects with a WorkloadError, also for errors of etcd. */
const call = async (agent: Agent, host: string, path: string, body: unknown, timeout: number): Promise<unknown> => {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  const answer = await exchange(
    { agent, path, method: 'POST', host: 'localhost', headers },
    { host, secure: false, body: bytes, timeout },
  );
  const text = answer.body.toString('utf8');
  const parsedBody = parsed(text);
  if (answer.status === 200 && parsedBody !== undefined) return parsedBody;
  throw gatewayRefusal({ host, path, status: answer.status }, text);
};

const idOf = ({ connection, node, ...proof }: EtcdConnection): string =>
  createHash('sha256')
    .update(JSON.stringify([connection, node, proof]))
    .digest('hex');

/** `open` resolves after the TLS handshake with etcd. */
export const etcdSessions = (
  timeout: number,
  open: (etcd: EtcdConnection) => Promise<TLSSocket>,
): Transport['etcd'] => {
  const sessions = new Map<string, Session>();

  return async (etcd, path, body) => {
    const id = idOf(etcd);
    const session = sessions.get(id) ?? { agent: open(etcd).then(agentOn), calls: 0 };
    sessions.set(id, session);
    const forget = () => {
      if (sessions.get(id) === session) sessions.delete(id);
    };
    session.calls++;
    try {
      return await call(await session.agent, `etcd on ${etcd.node}`, path, body, timeout);
    } catch (error) {
      forget();
      throw error;
    } finally {
      session.calls--;
      setTimeout(() => {
        if (session.calls > 0) return;
        forget();
        session.agent.then(
          (agent) => agent.destroy(),
          () => undefined,
        );
      }, lingering);
    }
  };
};
