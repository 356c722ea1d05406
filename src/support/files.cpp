#include "support/files.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <utility>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc {
namespace {

namespace fs = llvm::sys::fs;

llvm::Error failure(const std::string& path, const std::string& why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), fmt::format("cannot write `{}`: {}", path, why));
}

// One output on its way to its place. Whatever is not committed is taken back when it goes.
class Pending {
 public:
  explicit Pending(const OutputFile& file) : file_(&file), place_(file.path) {}
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = delete;
  ~Pending() {
    if (temporary_) llvm::consumeError(temporary_->discard());
    if (moved_ && !committed_) {
      if (backup_.empty()) {
        fs::remove(place_);
      } else {
        fs::rename(backup_, place_);
        backup_.clear();
      }
    }
    if (!backup_.empty()) fs::remove(backup_);
  }

  // Writes all of it, not yet in its place.
  llvm::Error prepare() {
    fs::file_status status;
    exists_ = !fs::status(place_, status) && fs::exists(status);
    if (exists_ && fs::is_directory(status)) return failure(file_->path, "it is a directory");
    device_ = exists_ && !fs::is_regular_file(status);
    if (device_) return llvm::Error::success();
    // A symbolic link stays one: what it points at is replaced.
    llvm::SmallString<256> real;
    if (exists_ && !fs::real_path(place_, real)) place_ = real.str().str();
    if (exists_ && fs::access(place_, fs::AccessMode::Write)) return failure(file_->path, "it is not writable");

    llvm::Expected<fs::TempFile> temporary =
        fs::TempFile::create(place_ + ".%%%%%%%%.tmp", fs::all_read | fs::all_write);
    if (!temporary) return failure(file_->path, llvm::errorToErrorCode(temporary.takeError()).message());
    temporary_.emplace(std::move(*temporary));
    if (exists_) fs::setPermissions(temporary_->FD, status.permissions());
    return write_to(temporary_->FD);
  }

  llvm::Error move_to_place() {
    if (device_) return write_device();
    if (exists_) keep_backup();
    llvm::Error error = temporary_->keep(place_);
    temporary_.reset();
    if (error) return failure(file_->path, llvm::errorToErrorCode(std::move(error)).message());
    moved_ = true;
    return llvm::Error::success();
  }

  void commit() { committed_ = true; }

 private:
  llvm::Error write_to(int descriptor) {
    llvm::raw_fd_ostream out(descriptor, /*shouldClose=*/false);
    out << file_->contents;
    out.flush();
    if (!out.has_error()) return llvm::Error::success();
    std::string why = out.error().message();
    out.clear_error();
    return failure(file_->path, why);
  }

  // Devices and pipes are written where they are: a rename would replace them.
  llvm::Error write_device() {
    int descriptor = -1;
    if (std::error_code code = fs::openFileForWrite(place_, descriptor, fs::CD_OpenExisting)) {
      return failure(file_->path, code.message());
    }
    llvm::Error error = write_to(descriptor);
    fs::closeFile(descriptor);
    return error;
  }

  // Where the file system has no links there is no way back from a rename that fails after this one.
  void keep_backup() {
    llvm::SmallString<256> name;
    fs::createUniquePath(place_ + ".%%%%%%%%.old", name, /*MakeAbsolute=*/false);
    if (!fs::create_hard_link(place_, name)) backup_ = name.str().str();
  }

  const OutputFile* file_;
  std::string place_;
  std::string backup_;
  std::optional<fs::TempFile> temporary_;
  bool exists_ = false;
  bool device_ = false;
  bool moved_ = false;
  bool committed_ = false;
};

}  // namespace

llvm::Error write_whole(const std::vector<OutputFile>& files) {
  std::vector<Pending> pending;
  pending.reserve(files.size());
  for (const OutputFile& file : files) {
    pending.emplace_back(file);
    if (llvm::Error error = pending.back().prepare()) return error;
  }
  for (Pending& file : pending) {
    if (llvm::Error error = file.move_to_place()) return error;
  }
  for (Pending& file : pending) file.commit();
  return llvm::Error::success();
}

}  // namespace warpcc
