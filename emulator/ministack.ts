/** MiniStack: everything of AWS but instances, load balancers and identities. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Guardian } from './guardian.ts';
import { createServerProcess, type Server } from './server.ts';

export interface MiniStackOptions {
  /** Of the environment that MiniStack is installed in. */
  python: string;
  port: number;
  folder: string;
  region: string;
  account: string;
  /** Functions that run at once, as AWS bounds them for an account; no bound by default. */
  concurrency?: number;
  guardian: Guardian;
  /** Functions that a host of ours runs, and where it listens. */
  functions: readonly string[];
  host: string;
  onCrash?: (how: string) => void;
}

export interface MiniStack extends Server {
  endpoint: string;
}

const program = join(import.meta.dirname, 'ministack_as_aws.py');

export const createMiniStack = (options: MiniStackOptions): MiniStack => {
  const { python, port, folder, region, account, concurrency, guardian, functions, host, onCrash } = options;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const endpoint = `http://127.0.0.1:${port}`;
  const server = createServerProcess({
    name: 'MiniStack',
    command: python,
    args: [program],
    environment: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      HOME: folder,
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      MINISTACK_ACCOUNT_ID: account,
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      TMPDIR: temporary,
      // Written when it is asked to end; after SIGKILL there is what was there at the last end.
      PERSIST_STATE: '1',
      STATE_DIR: join(folder, 'state'),
      S3_PERSIST: '1',
      S3_DATA_DIR: join(folder, 's3'),
      // Pauses before retries are a hundredth of themselves; nothing else in a definition of ours waits.
      SFN_WAIT_SCALE: '0.01',
      LAMBDA_ACCOUNT_CONCURRENCY: String(concurrency ?? 0),
      ...Object.fromEntries(functions.map((name) => [`MINISTACK_LAMBDA_PROXY_${name}`, host])),
    },
    health: `${endpoint}/_ministack/health`,
    logFile: join(folder, 'ministack.log'),
    guardian,
    ...(onCrash && { onCrash }),
  });
  return { ...server, endpoint };
};
