/** Decides whether a deployment may set its settings, and whether it can read what is stored. */
import * as z from 'zod/mini';
import { unrecordedFormat } from '../../machinery/store/format.ts';

/** The properties of the custom resource that guards the settings. */
const guardedSettings = z.object({
  /** The context of the deployment, as text. */
  Settings: z.record(z.string(), z.string()),
  /** The settings that the deployment names. */
  Named: z._default(z.array(z.string()), []),
  /** Whether the deployment was made knowing the settings of the installation. */
  IsKnown: z.enum(['true', 'false']),
  /** The stored format of the deployed version. */
  Format: z._default(z.coerce.number(), unrecordedFormat),
});
type GuardedSettings = z.output<typeof guardedSettings>;

/** As CloudFormation sends it. */
export interface SettingsChange {
  next: unknown;
  /** Absent for a new installation, and for one that is older than this guard. */
  before?: unknown;
  /** CloudFormation's status of the stack. */
  status: string;
}

const remedy =
  'deploy with capstan deploy, or with AWS credentials in the environment that may call cloudformation:GetTemplate';

const noAdministrators =
  'No administrators are named, so no user could use the API. Name users or roles by their ARNs, with commas between them: cdk deploy --context administrators=arn:aws:iam::123456789012:role/Admin; or run capstan deploy, which names you';

const shown = (value: string | undefined): string => (value === undefined ? 'its default' : JSON.stringify(value));

const unnamedIn = ({ Settings: before }: GuardedSettings, { Settings: next, Named }: GuardedSettings): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(next)])]
    .filter((name) => before[name] !== next[name] && !Named.includes(name))
    .sort();

/** The stored format that every function reads during the deployment. */
export const formatDuring = ({ next, before }: Pick<SettingsChange, 'next' | 'before'>): number =>
  Math.min(...[next, ...(before === undefined ? [] : [before])].map((one) => guardedSettings.parse(one).Format));

const formatRefusal = (before: GuardedSettings, { Format, Settings }: GuardedSettings): string | undefined =>
  Format < before.Format && Settings.leaveFormat !== String(before.Format)
    ? `This version is too old for what is stored: it reads stored format ${Format}, and the installation has format ${before.Format}. Deploy the version that ran, or a newer one. To go back all the same, which damages objects unless you then restore them from before that format (capstan restore), name it: --context leaveFormat=${before.Format}`
    : undefined;

export const refusalOfSettings = ({ status, ...change }: SettingsChange): string | undefined => {
  // A refused rollback would leave the stack stuck between two versions.
  if (status.includes('ROLLBACK')) return undefined;
  const next = guardedSettings.parse(change.next);
  const before = change.before === undefined ? undefined : guardedSettings.parse(change.before);
  if (!next.Settings.administrators) return noAdministrators;
  if (before === undefined)
    return status.startsWith('UPDATE') && next.IsKnown === 'false'
      ? `This deployment does not know the settings of the installation, and could change them: ${remedy}`
      : undefined;
  const outdated = formatRefusal(before, next);
  if (outdated !== undefined) return outdated;
  const unnamed = unnamedIn(before, next);
  if (unnamed.length === 0) return undefined;
  const changes = unnamed.map(
    (name) => `${name} from ${shown(before.Settings[name])} to ${shown(next.Settings[name])}`,
  );
  return `This deployment does not name settings that it would change: ${changes.join('; ')}. To keep them, ${remedy}. To change one, name it: --context ${unnamed[0]}=${next.Settings[unnamed[0]!] ?? ''}`;
};
