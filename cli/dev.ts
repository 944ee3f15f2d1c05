import { InvalidArgumentError } from 'commander';
import { kubeconfigOf } from '../local/credentials.ts';
import { type LocalOptions, startLocal } from '../local/start.ts';

export const positiveNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

/** Resolves when the process is asked to end. */
export const untilInterrupted = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });

export const dev = async (options: LocalOptions): Promise<void> => {
  const local = await startLocal(options);
  console.log(`Serving on https://127.0.0.1:${local.port}`);
  console.log(`  export KUBECONFIG=${kubeconfigOf(options.data)}`);
  await untilInterrupted();
  await local.close();
  process.exit(0);
};
