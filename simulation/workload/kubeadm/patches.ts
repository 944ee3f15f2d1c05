/** kubeadm's patches of static Pods: of JSON patches, the arguments and volumes that they append. */
import type { Host, Mount } from '../../../kinds/components/files/host.ts';
import type { JsonValue } from '../../../machinery/api/object.ts';
import { auditConfigurationOf } from '../audit/configuration.ts';
import type { ApiServerRecord, StaticPod } from '../records.ts';

interface Operation {
  op?: string;
  path?: string;
  value?: JsonValue;
}

const appendedIn = (content: string, to: string): JsonValue[] =>
  (JSON.parse(content) as Operation[]).flatMap(({ op, path, value }) =>
    op === 'add' && path === `${to}/-` && value !== undefined ? [value] : [],
  );

const argumentsIn = (content: string): string[] => appendedIn(content, '/spec/containers/0/command').map(String);

const mountsIn = (content: string): Mount[] => {
  const volumes = appendedIn(content, '/spec/volumes') as unknown as { name: string; hostPath?: { path: string } }[];
  const mounts = appendedIn(content, '/spec/containers/0/volumeMounts') as unknown as {
    name: string;
    mountPath: string;
  }[];
  return mounts.flatMap(({ name, mountPath }) => {
    const hostPath = volumes.find((volume) => volume.name === name)?.hostPath?.path;
    return hostPath === undefined ? [] : [{ hostPath, mountPath }];
  });
};

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
      const patches = [...files].flatMap(([path, content]) => (isPatchOf(component, path) ? [content] : []));
      if (patches.length === 0) return [component, manifest];
      const mounts = [...(manifest.mounts ?? []), ...patches.flatMap(mountsIn)];
      const command = [...manifest.command, ...patches.flatMap(argumentsIn)];
      return [component, { ...manifest, command, ...(mounts.length > 0 && { mounts }) }];
    }),
  );
};

/** The API server with the audit configuration that its arguments name. */
export const audited = (
  apiServer: ApiServerRecord,
  manifests: Record<string, StaticPod>,
  host: Host,
): ApiServerRecord => {
  const audit = auditConfigurationOf(manifests['kube-apiserver'], host);
  return audit ? { ...apiServer, audit } : apiServer;
};
