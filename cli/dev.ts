import { kubeconfigOf } from '../local/credentials.ts';
import type { LocalOptions } from '../local/start.ts';
import { show } from './failure.ts';
import { frozenNotice } from './frozen.ts';
import { openLocal } from './local.ts';
import { shellWord } from './output.ts';

/** Resolves on SIGINT or SIGTERM. */
export const untilInterrupted = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });

const serve = async (options: LocalOptions): Promise<void> => {
  const local = await openLocal(options);
  console.log(`Serving on https://127.0.0.1:${local.port}`);
  console.log(`  export KUBECONFIG=${shellWord(kubeconfigOf(options.data))}`);
  const freeze = local.freeze();
  if (freeze) console.log(frozenNotice(freeze));
  await untilInterrupted();
  await local.close();
};

export const dev = async (options: LocalOptions): Promise<never> => {
  try {
    await serve(options);
    process.exit(0);
  } catch (error) {
    // Its servers would keep the process alive.
    show(error);
    process.exit();
  }
};
