/** The API server's metric of deprecated APIs that were requested. */

/** Paths of deprecated APIs, with the release without them; kube-apiserver knows more. */
const deprecatedApis = [
  { group: '', version: 'v1', resource: 'componentstatuses', removed: '' },
  { group: '', version: 'v1', resource: 'endpoints', removed: '' },
  { group: 'storage.k8s.io', version: 'v1beta1', resource: 'volumeattributesclasses', removed: '1.37' },
].map((api) => {
  const root = api.group ? `/apis/${api.group}/${api.version}` : `/api/${api.version}`;
  return { ...api, path: new RegExp(`^${root}(/namespaces/[^/]+)?/${api.resource}(/|$)`) };
});

export const deprecatedRequests = () => {
  const requested = new Set<(typeof deprecatedApis)[number]>();
  return {
    note: (path: string): void => {
      for (const api of deprecatedApis) if (api.path.test(path)) requested.add(api);
    },
    metrics: (): Response => {
      const lines = [...requested].map(
        ({ group, version, resource, removed }) =>
          `apiserver_requested_deprecated_apis{group="${group}",removed_release="${removed}",resource="${resource}",subresource="",version="${version}"} 1`,
      );
      return new Response(`# TYPE apiserver_requested_deprecated_apis gauge\n${lines.join('\n')}\n`, {
        headers: { 'Content-Type': 'text/plain; version=0.0.4' },
      });
    },
  };
};
