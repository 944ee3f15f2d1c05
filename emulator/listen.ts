import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  /** The base URL, `http://127.0.0.1:port`. */
  endpoint: string;
  /** Closes all connections and waits for the end. */
  close(): Promise<void>;
}

/** Listens on the loopback address; port 0 picks a free one. */
export const listenLocally = async (server: Server, port: number): Promise<Listening> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
