/** Names of control plane machines. */

const random = '{{ .random }}';
const action = /\{\{-?\s*(\.[A-Za-z.]+)\s*-?\}\}/g;
const suffixLength = 5;
const longest = 63;

interface NamingInput {
  /** A Go template of the user's; absent = `<control plane>-<random>`. */
  template: string | undefined;
  cluster: string;
  controlPlane: string;
  /** Draws `length` random letters and digits. */
  suffix: (length: number) => string;
}

/** Why the template cannot be used; undefined when it can. */
export const namingFault = (template: string): string | undefined => {
  const fields = [...template.matchAll(action)].map(([, field]) => field!);
  const unknown = fields.find((field) => !['.random', '.cluster.name', '.kubeadmControlPlane.name'].includes(field));
  if (unknown) return `invalid template, ${unknown} is not known`;
  if (template.replaceAll(action, '').includes('{{')) return 'invalid template, only fields can be inserted';
  if (!fields.includes('.random')) return `invalid template, ${random} is missing`;
  const sample = machineName({ template, cluster: 'cluster', controlPlane: 'kcp', suffix: (n) => 'x'.repeat(n) });
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(sample)
    ? undefined
    : `invalid template, generated name is not a valid Kubernetes name: ${sample}`;
};

/** A name for the next machine, at most 63 characters, cut so that the random end stays. */
export const machineName = ({ template, cluster, controlPlane, suffix }: NamingInput): string => {
  const values: Record<string, string> = {
    '.cluster.name': cluster,
    '.kubeadmControlPlane.name': controlPlane,
    '.random': suffix(suffixLength),
  };
  const text = (template ?? `{{ .kubeadmControlPlane.name }}-${random}`).replaceAll(
    action,
    (_, field: string) => values[field] ?? '',
  );
  return text.length <= longest ? text : `${text.slice(0, longest - suffixLength)}${values['.random']}`;
};
