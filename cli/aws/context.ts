/** What a deployment is made with: what is deployed, changed by what was typed. */
import { InvalidArgumentError } from 'commander';
import { CliError } from '../errors.ts';
import type { Context } from './stack.ts';

/** Of `--context name=value`, which may be given many times. */
export const contextOption = (text: string, given: Context = {}): Context => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be name=value.');
  return { ...given, [text.slice(0, at)]: text.slice(at + 1) };
};

export const defaultInstallation = 'capstan';
const installationName = /^[a-z][a-z0-9-]{0,29}$/;

export const installationOf = ({ installation = defaultInstallation }: Context): string => {
  if (installationName.test(installation)) return installation;
  throw new CliError(
    `${installation} is no name for an installation: it begins with a small letter, and at most 29 small letters, digits and - follow`,
  );
};

/** What was typed replaces what is deployed; an empty value takes it back to the default. Without administrators, the caller becomes one. */
export const nextContext = (deployed: Context, typed: Context, caller: string): Context => {
  const given = { administrators: caller, ...deployed, ...typed };
  const kept = Object.entries(given).filter(([, value]) => value !== '');
  return { administrators: caller, ...Object.fromEntries(kept) };
};
