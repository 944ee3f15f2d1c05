import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  /** Where it answers, as `http://127.0.0.1:port`. */
  endpoint: string;
  /** Cuts its connections, and waits until it has ended. */
  close(): Promise<void>;
}

/** Has a server answer on this machine alone; port 0 is one that is free. */
export const listening = async (server: Server, port: number): Promise<Listening> => {
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
