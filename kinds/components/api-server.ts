/** Values of the API server's flags. Pure. */
import { type Arg, type Fault, lastValueOf, listOf, pairsOf } from './fault.ts';
import { isBool } from './flag-types.ts';
import { historyOf } from './gates.ts';
import { entryOf } from './tables.ts';

const enable = 'enable-admission-plugins';
const disable = 'disable-admission-plugins';

export const judgeAdmission = (args: readonly Arg[], minor: number): Fault[] => {
  const namesIn = (flag: string) => args.filter(({ name }) => name === flag).flatMap(({ value }) => listOf(value));
  const unknown = [enable, disable, 'admission-control'].flatMap((flag) =>
    namesIn(flag).flatMap((name): Fault[] => {
      const entry = entryOf('plugins', name, minor);
      if (entry.is !== 'unknown') return [];
      return [
        {
          flag,
          output: `${flag} plugin "${name}" is unknown`,
          message: `there is no admission plugin ${name}${historyOf(entry, 'plugins')}`,
          remedy: `remove it from ${flag}`,
        },
      ];
    }),
  );
  const both = namesIn(enable).filter((name) => namesIn(disable).includes(name));
  if (both.length === 0) return unknown;
  return [
    ...unknown,
    {
      flag: disable,
      output: `[${both.join(' ')}] in ${enable} and ${disable} overlapped`,
      message: `${both.join(', ')} is in ${enable}, too`,
      remedy: 'remove it from one of them',
    },
  ];
};

/** Keys of runtime-config that stand for many versions. */
const wide = /^api\/(?:all|ga|beta|alpha|legacy)$/;

/** Groups that a minor release has in any version. */
const hasGroup = (group: string, minor: number): boolean =>
  ['v1', 'v2', 'v1beta1', 'v1beta2', 'v1beta3', 'v2beta1', 'v2beta2', 'v1alpha1', 'v1alpha2', 'v1alpha3'].some(
    (version) => entryOf('apiVersions', `${group}/${version}`, minor).is !== 'unknown',
  );

const errorOfVersion = (key: string, value: string | undefined, minor: number) => {
  if (value !== undefined && value !== '' && !isBool(value))
    return {
      output: `invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`,
      message: `${key} is ${value}`,
      remedy: `write ${key}=true or ${key}=false`,
    };
  const [group = '', version] = key.split('/');
  // Without a group: the core API.
  if (wide.test(key) || version === undefined || group === 'api') return undefined;
  const remedy = `remove ${key} from runtime-config`;
  if (!hasGroup(group, minor))
    return { output: `unknown api groups ${group}`, message: `there is no API group ${group}`, remedy };
  const entry = entryOf('apiVersions', `${group}/${version}`, minor);
  if (entry.is !== 'unknown') return undefined;
  return {
    output: `group version ${group}/${version} that has not been registered`,
    message: `there is no API version ${group}/${version}${historyOf(entry, 'apiVersions')}`,
    remedy,
  };
};

export const judgeRuntimeConfig = (args: readonly Arg[], minor: number): Fault[] => {
  const flag = 'runtime-config';
  if (args.some(({ name }) => name === 'emulated-version')) return [];
  const pairs = pairsOf(args, flag);
  const [[only, state] = []] = pairs;
  if (pairs.length === 1 && only === 'api/all' && state === 'false')
    return [
      {
        flag,
        output: 'invalid runtime-config with only api/all=false',
        message: 'it serves no API at all',
        remedy: `name the versions that it serves, too, or remove ${flag}`,
      },
    ];
  return pairs.flatMap(([key, value]): Fault[] => {
    const error = errorOfVersion(key, value, minor);
    return error ? [{ flag, ...error }] : [];
  });
};

const modes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

export const judgeAuthorization = (args: readonly Arg[]): Fault[] => {
  const flag = 'authorization-mode';
  const value = lastValueOf(args, flag);
  if (value === undefined) return [];
  const listed = listOf(value);
  const fault = (output: string, remedy: string): Fault => ({ flag, output, message: output, remedy });
  const unknown = listed.filter((mode) => !modes.includes(mode));
  if (unknown.length > 0)
    return [fault(`authorization-mode "${unknown[0]}" is not a valid mode`, `choose among ${modes.join(', ')}`)];
  if (new Set(listed).size < listed.length)
    return [
      fault(`authorization-mode ["${listed.join('" "')}"] has mode specified more than once`, 'list each mode once'),
    ];
  if (listed.includes('ABAC') && !lastValueOf(args, 'authorization-policy-file'))
    return [
      fault("authorization-mode ABAC's authorization policy file not passed", 'set authorization-policy-file, too'),
    ];
  if (listed.includes('Webhook') && !lastValueOf(args, 'authorization-webhook-config-file'))
    return [
      fault(
        "authorization-mode Webhook's authorization config file not passed",
        'set authorization-webhook-config-file, too',
      ),
    ];
  return [];
};
