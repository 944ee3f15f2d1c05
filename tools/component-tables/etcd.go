package main

const server = "go.etcd.io/etcd/server/v3/"

func etcdRelease(version string) release {
	read := modules("go.etcd.io/etcd/server/v3@" + version)
	// Flags of old releases are taken, and ignored.
	flags := read.listIn(server+"etcdmain", "ignored")
	for name := range flags {
		flags[name] = "text"
	}
	flags["help"], flags["h"] = "bool", "bool"
	read.flagsIn(origin{server + "etcdmain", []string{"newConfig"}}, flags)
	read.flagsIn(origin{server + "embed", []string{"Config"}}, flags)
	gates := table{"AllAlpha": "any", "AllBeta": "any"}
	read.gatesIn(server+"features", minorOf(version), gates)
	return release{"etcd": flags, "etcdGates": gates}
}
