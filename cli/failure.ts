/** What a command prints about any error: one sentence for the user, and never a stack trace. */
import { CommanderError } from 'commander';
import { CliError } from './errors.ts';

export interface Shown {
  /** Absent after a message of the argument parser, and after an interrupt by the user. */
  line?: string;
  exitCode: number;
}

/** As a shell reports a command that a signal ended. */
export const interrupted = 130;
const pipeClosed = 141;

/** Errors of the program itself, not of its surroundings. */
const faults = [TypeError, ReferenceError, RangeError, SyntaxError];

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? '';

/** An error of several addresses has no message of its own. */
const messageOf = (error: Error): string => error.message.trim() || codeOf(error) || error.name;

export const shownOf = (error: unknown): Shown => {
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : 2 };
  if (error instanceof CliError) return { line: `error: ${error.message}`, exitCode: error.exitCode };
  if (!(error instanceof Error)) return { line: `error: ${String(error)}`, exitCode: 1 };
  if (error.name === 'AbortError') return { exitCode: interrupted };
  const isFault = faults.some((fault) => error instanceof fault);
  const line = isFault
    ? `error: this is a fault of Capstan, please report it: ${error.name}: ${messageOf(error)} (CAPSTAN_DEBUG=1 shows where)`
    : `error: ${messageOf(error)}`;
  return { line, exitCode: 1 };
};

/** Prints it and sets the exit code. */
export const show = (error: unknown): void => {
  const { line, exitCode } = shownOf(error);
  if (process.env.CAPSTAN_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  if (line !== undefined) process.stderr.write(`${line}\n`);
  process.exitCode = exitCode;
};

/** Ends the process on errors that no command awaits, such as those of a closed pipe. */
export const showUnawaited = (): void => {
  const end = (error: unknown) => {
    show(error);
    process.exit();
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  // The reader of the output has left, as head does.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(pipeClosed));
};
