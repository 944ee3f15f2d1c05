/** In a sandbox: resolves load balancer names to this machine, because no name server knows them. */
import { promises as dns, NODATA } from 'node:dns';
import { Socket } from 'node:net';
import type { Names } from './messages.ts';

let known: Names = {};
export const setNames = (names: Names): void => {
  known = names;
};

interface Target {
  host?: string | null;
  port?: number | string;
}

const isBalancer = (name: string) => /\.elb\.([a-z0-9-]+\.)?amazonaws\.com$/.test(name);
const hostsOf = (names: Names) => Object.keys(names).map((name) => name.slice(0, name.lastIndexOf(':')));

const redirected = (target: Target): Target => {
  const port = known[`${target.host}:${target.port}`];
  return port === undefined ? target : { ...target, host: '127.0.0.1', port };
};

type Connect = (this: Socket, ...args: unknown[]) => Socket;

/** For all connections from now on. */
export const followNames = (): void => {
  const connect = Socket.prototype.connect as Connect;
  const patched: Connect = function (this: Socket, ...args) {
    const [first, ...rest] = args;
    // Node passes normalised arguments as one array.
    if (Array.isArray(first)) {
      const sorted = Object.assign([...first], first);
      for (const symbol of Object.getOwnPropertySymbols(first))
        Object.defineProperty(sorted, symbol, Object.getOwnPropertyDescriptor(first, symbol)!);
      sorted[0] = redirected(first[0] as Target);
      return connect.call(this, sorted, ...rest);
    }
    if (typeof first === 'object' && first !== null) return connect.call(this, redirected(first as Target), ...rest);
    return connect.call(this, ...args);
  };
  Socket.prototype.connect = patched as typeof Socket.prototype.connect;

  const resolvers = dns.Resolver.prototype;
  const resolve4 = resolvers.resolve4 as (this: dns.Resolver, name: string) => Promise<string[]>;
  resolvers.resolve4 = async function (this: dns.Resolver, name: string) {
    if (!isBalancer(name)) return resolve4.call(this, name);
    if (hostsOf(known).includes(name)) return ['127.0.0.1'];
    throw Object.assign(new Error(`queryA ${NODATA} ${name}`), { code: NODATA });
  } as typeof resolvers.resolve4;
  const resolve6 = resolvers.resolve6 as (this: dns.Resolver, name: string) => Promise<string[]>;
  resolvers.resolve6 = async function (this: dns.Resolver, name: string) {
    if (!isBalancer(name)) return resolve6.call(this, name);
    throw Object.assign(new Error(`queryAaaa ${NODATA} ${name}`), { code: NODATA });
  } as typeof resolvers.resolve6;
};
