/** The control plane in this process. */
import { type Local, type LocalOptions, StartError, startLocal } from '../local/start.ts';
import { CliError } from './errors.ts';

export const openLocal = async (options: LocalOptions): Promise<Local> => {
  try {
    return await startLocal(options);
  } catch (error) {
    throw error instanceof StartError ? new CliError(error.message, 1, { cause: error }) : error;
  }
};
