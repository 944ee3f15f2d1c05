/** Connections that are kept between requests: few and briefly. */
import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/** curl's variables, in upper or lower case. */
export type ProxyVariables = Partial<Record<'HTTPS_PROXY' | 'NO_PROXY' | 'https_proxy' | 'no_proxy', string>>;

const mostKept = 64;
const mostAtOnce = 8;
/** Milliseconds. Load balancers drop idle connections after a minute, and a frozen function does not notice. */
const keptFor = 20_000;

const optionsOf = (proxy: ProxyVariables | undefined): AgentOptions => (proxy ? { proxyEnv: { ...proxy } } : {});

class Keeping extends Agent {
  private readonly kept = new Map<Duplex, number>();

  override keepSocketAlive(socket: Duplex): boolean {
    // Untyped in Node: false if the server is about to close the connection.
    if ((super.keepSocketAlive(socket) as unknown) === false) return false;
    this.kept.set(socket, Date.now());
    for (const [oldest] of this.kept) {
      if (this.kept.size <= mostKept) break;
      this.drop(oldest);
    }
    return true;
  }

  override reuseSocket(socket: Duplex, request: Parameters<Agent['reuseSocket']>[1]): void {
    this.kept.delete(socket);
    super.reuseSocket(socket, request);
  }

  /** Closes connections that are idle since before `time`. */
  dropBefore(time: number): void {
    for (const [socket, since] of this.kept) if (since < time || socket.destroyed) this.drop(socket);
  }

  private drop(socket: Duplex): void {
    this.kept.delete(socket);
    socket.destroy();
  }
}

export interface Connections {
  /** An agent that reuses connections of the same host and credentials. */
  keeping(): Agent;
  /** An agent for connections that are upgraded. */
  single: Agent;
  /** After a dead connection was found: the others are as old. */
  dropKept(): void;
}

export const createConnections = (proxy?: ProxyVariables): Connections => {
  const agent = new Keeping({
    ...optionsOf(proxy),
    keepAlive: true,
    maxSockets: mostAtOnce,
    maxFreeSockets: mostAtOnce,
    scheduling: 'lifo',
  });
  return {
    keeping: () => {
      agent.dropBefore(Date.now() - keptFor);
      return agent;
    },
    single: new Agent({ ...optionsOf(proxy), keepAlive: false }),
    dropKept: () => agent.dropBefore(Number.POSITIVE_INFINITY),
  };
};
