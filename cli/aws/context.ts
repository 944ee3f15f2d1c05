/** The context that a user gives to a deployment. */
import { InvalidArgumentError } from 'commander';
import { CliError } from '../errors.ts';
import type { Context } from './stack.ts';

/** Parses `--context name=value`, which may repeat. */
export const contextOption = (text: string, given: Context = {}): Context => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be name=value.');
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (given[name] !== undefined && given[name] !== value)
    throw new InvalidArgumentError(`${name} is given twice, as ${given[name]} and as ${value}.`);
  return { ...given, [name]: value };
};

export const defaultInstallation = 'capstan';
const installationName = /^[a-z][a-z0-9-]{0,29}$/;

export const installationOf = ({ installation = defaultInstallation }: Context): string => {
  if (installationName.test(installation)) return installation;
  throw new CliError(
    `${installation} is no name for an installation: it begins with a small letter, and at most 29 small letters, digits and - follow`,
  );
};
