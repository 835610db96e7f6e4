// Compare sampled uses with TypeScript's language service: node typescript_check.js REPOSITORY EDGES.json
const ts=require("typescript"),fs=require("fs"),path=require("path");
const root=process.argv[2],edges=JSON.parse(fs.readFileSync(process.argv[3]));
const files=require("child_process").execSync("git ls-files",{cwd:root,maxBuffer:1e8}).toString().split("\n").filter(f=>/\.(ts|tsx|mts|js|jsx)$/.test(f)).map(f=>path.join(root,f));
const opts={allowJs:true,target:99,module:99,moduleResolution:100,jsx:4,noLib:false,baseUrl:root,noEmit:true,allowImportingTsExtensions:true};
const host={getScriptFileNames:()=>files,getScriptVersion:()=>"1",getScriptSnapshot:f=>fs.existsSync(f)?ts.ScriptSnapshot.fromString(fs.readFileSync(f,"utf8")):undefined,getCurrentDirectory:()=>root,getCompilationSettings:()=>opts,getDefaultLibFileName:o=>ts.getDefaultLibFilePath(o),fileExists:ts.sys.fileExists,readFile:ts.sys.readFile,readDirectory:ts.sys.readDirectory,directoryExists:ts.sys.directoryExists,getDirectories:ts.sys.getDirectories};
const ls=ts.createLanguageService(host);const prog=ls.getProgram();const res={},bad=[];
for(const e of edges){const f=path.join(root,e.path);const sf=prog.getSourceFile(f);if(!sf)continue;
 let defs;try{const pos=sf.getPositionOfLineAndCharacter(e.line-1,e.column);defs=[...(ls.getDefinitionAtPosition(f,pos)||[]),...(ls.getImplementationAtPosition(f,pos)||[]),...(ls.getTypeDefinitionAtPosition(f,pos)||[])];}catch(x){continue}
 const kind=e.grade;
 const locs=defs.map(d=>{const s=prog.getSourceFile(d.fileName);return [path.relative(root,d.fileName),s?s.getLineAndCharacterOfPosition(d.textSpan.start).line+1:0]});
 const k=!locs.length?"undecided":locs.some(([p,l])=>p===e.target&&l>=e.start&&l<=e.end)?"right":"wrong";
 res[kind+" "+k]=(res[kind+" "+k]||0)+1;if(k==="wrong"&&e.grade==="resolved")bad.push([e.path+":"+e.line,e.text,"->",e.target+":"+e.start,e.qualname,"|",JSON.stringify(locs.slice(0,3))].join(" "));}
console.log(res);bad.slice(0,+process.argv[4]||15).forEach(b=>console.log(b.slice(0,330)));
