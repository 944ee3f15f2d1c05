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

/** Up to v1.29 kubeadm sets authorization-mode beside a configuration of authorization. */
const judgeAuthorizationConfig = (args: readonly Arg[], minor: number): Fault[] => {
  const flag = 'authorization-config';
  if (!lastValueOf(args, flag)) return [];
  const legacy = args.find(({ name }) => name === 'authorization-mode' || name.startsWith('authorization-webhook-'));
  if (!legacy && minor >= 30) return [];
  const output =
    '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined';
  const remedy = legacy ? `remove ${legacy.name}` : `remove ${flag}: kubeadm of this release sets authorization-mode`;
  return [{ flag, output, message: output, remedy }];
};

export const judgeAuthorization = (args: readonly Arg[], minor: number): Fault[] => {
  const flag = 'authorization-mode';
  const structured = judgeAuthorizationConfig(args, minor);
  const value = lastValueOf(args, flag);
  if (value === undefined || structured.length > 0) return structured;
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

const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:';

/** Of issuers of tokens: by a file, which is an alpha feature of v1.29, or by flags. */
export const judgeOidc = (args: readonly Arg[], minor: number): Fault[] => {
  const gate = 'StructuredAuthenticationConfiguration';
  const isEnabled = minor >= 30 || pairsOf(args, 'feature-gates').some(([name, on]) => name === gate && on === 'true');
  if (lastValueOf(args, 'authentication-config') && !isEnabled) {
    const output = `set --feature-gates=${gate}=true to use authentication-config file`;
    return [{ flag: 'authentication-config', output, message: output, remedy: `add ${gate}=true to feature-gates` }];
  }
  const given = args.filter(({ name, value }) => name.startsWith('oidc-') && value !== '');
  const [first] = given;
  if (!first) return [];
  const fault = (flag: string, output: string, remedy: string): Fault[] => [{ flag, output, message: output, remedy }];
  const issuer = lastValueOf(given, 'oidc-issuer-url');
  const client = lastValueOf(given, 'oidc-client-id');
  if (lastValueOf(args, 'authentication-config'))
    return fault(
      'authentication-config',
      'authentication-config file and oidc-* flags are mutually exclusive',
      `remove ${first.name}`,
    );
  if (issuer === undefined || client === undefined)
    return fault(
      first.name,
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
      `set ${issuer === undefined ? 'oidc-issuer-url' : 'oidc-client-id'}, too`,
    );
  return isHttps(issuer)
    ? []
    : fault('oidc-issuer-url', `oidc-issuer-url "${issuer}": URL scheme must be https`, 'name an https URL');
};

const auditModes = ['batch', 'blocking', 'blocking-strict'];

/** Of the two sinks of the audit log. */
export const judgeAudit = (args: readonly Arg[]): Fault[] =>
  ['log', 'webhook'].flatMap((sink): Fault[] => {
    const flag = `audit-${sink}-mode`;
    const mode = lastValueOf(args, flag);
    const isUsed = lastValueOf(args, sink === 'log' ? 'audit-log-path' : 'audit-webhook-config-file');
    if (mode === undefined || !isUsed || auditModes.includes(mode)) return [];
    const output = `invalid audit ${sink} mode ${mode}, allowed modes are "${auditModes.join(',')}"`;
    return [{ flag, output, message: output, remedy: `choose among ${auditModes.join(', ')}` }];
  });
