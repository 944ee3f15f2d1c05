/** kubeadm's patches of static Pods: of JSON patches, the arguments that they append. */
import type { JsonValue } from '../../../machinery/api/object.ts';
import { auditConfigurationOf } from '../audit/configuration.ts';
import type { ApiServerRecord, StaticPod } from '../records.ts';

interface Operation {
  op?: string;
  path?: string;
  value?: JsonValue;
}

const appended = '/spec/containers/0/command/-';

const argumentsIn = (content: string): string[] =>
  (JSON.parse(content) as Operation[]).flatMap(({ op, path, value }) =>
    op === 'add' && path === appended ? [String(value)] : [],
  );

/** `directory`: from kubeadm's configuration; files are named `target[suffix]+json.json`. */
export const patchedManifests = (
  manifests: Record<string, StaticPod>,
  files: ReadonlyMap<string, string>,
  directory: string | undefined,
): Record<string, StaticPod> => {
  if (directory === undefined) return manifests;
  const isPatchOf = (component: string, path: string): boolean => {
    const name = path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : '';
    return name.startsWith(component) && name.endsWith('+json.json');
  };
  return Object.fromEntries(
    Object.entries(manifests).map(([component, manifest]) => {
      const more = [...files].flatMap(([path, content]) => (isPatchOf(component, path) ? argumentsIn(content) : []));
      return [component, more.length > 0 ? { ...manifest, command: [...manifest.command, ...more] } : manifest];
    }),
  );
};

/** The API server with the audit configuration that its arguments name. */
export const audited = (
  apiServer: ApiServerRecord,
  manifests: Record<string, StaticPod>,
  files: ReadonlyMap<string, string>,
): ApiServerRecord => {
  const audit = auditConfigurationOf(manifests['kube-apiserver'], files);
  return audit ? { ...apiServer, audit } : apiServer;
};
