/** Validates a deployment's settings before any AWS call or build. */
import { canonicalArn } from '../../adapters/aws/identity/arn.ts';
import { settingProblems } from '../../cdk/settings.ts';
import { CliError } from '../errors.ts';
import type { Context } from './stack.ts';

const refuse = (problems: readonly string[]): void => {
  if (problems.length === 0) return;
  throw new CliError(
    ['the context is wrong, and nothing was changed:', ...problems.map((one) => `  ${one}`)].join('\n'),
    2,
  );
};

/** Validates the given values alone, before the deployed ones are known; an empty value means the default. */
export const expectTyped = (typed: Context): void =>
  refuse(
    settingProblems(
      Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value || undefined])),
      false,
    ),
  );

export const expectWhole = (context: Context): void => refuse(settingProblems(context, true));

const administratorsOf = ({ administrators = '' }: Context): string[] =>
  administrators.split(',').map((name) => canonicalArn(name.trim()));

/**
 * Throws CliError when a new list of administrators omits the caller, because a typing error there
 * locks every administrator out. A list that is already deployed passes.
 */
export const expectCallerAmong = (deployed: Context, next: Context, caller: string): void => {
  if (deployed.administrators !== undefined && deployed.administrators === next.administrators) return;
  const names = administratorsOf(next);
  if (names.includes(caller)) return;
  throw new CliError(
    `the administrators leave out ${caller}, which is you, and nothing was changed. They would be:
${names.map((name) => `  ${name}`).join('\n')}
  Add yourself:  --context administrators=${[...names, caller].join(',')}
  Or, to deploy without yourself, for example from a pipeline:  --without-me`,
  );
};
